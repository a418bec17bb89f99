package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.data.SlowTables;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.SmallProxy;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The page in a browser: Debian's Chromium. */
class BrowserIT {
    private static final int INTERRUPTED = 1317;
    private static final String HINT = "SELECT /*+ PARALLEL(2) */";
    private static final String ENDLESS = SlowTables.ENDLESS.replaceFirst("SELECT", HINT);

    /** Takes a second or more for each partition. */
    private static final String SLOW =
            HINT + " v, MAX(LENGTH(SHA2(REPEAT(v, 100000), 512))) FROM it_slow.big GROUP BY v";

    private static CompletableFuture<@Nullable Throwable> run(WireConnection client, String sql) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                client.query(sql);
                return null;
            } catch (Exception e) {
                return e;
            }
        });
    }

    private static WebDriver browser() {
        File driver = new File(ClientProgram.pathOf("chromedriver"));
        ChromeOptions options = new ChromeOptions();
        options.setBinary(ClientProgram.pathOf("chromium"));
        // as root, Chromium has no sandbox
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
        return new ChromeDriver(
                new ChromeDriverService.Builder().usingDriverExecutable(driver).build(), options);
    }

    @OnServers(ServerName.MARIADB)
    void barsMoveAKillWorksAndALostServerIsShown(TestServer server) throws Exception {
        WebDriver browser = browser();
        SlowTables.start(server).close();
        try (FaultProxy link = FaultProxy.before(server);
                SmallProxy proxy = SmallProxy.withSettings(
                        new TestServer(
                                server.name(),
                                server.kind(),
                                "127.0.0.1",
                                link.port(),
                                server.adminUser(),
                                server.adminPassword()),
                        "http: {enabled: true, port: 0}");
                WireConnection client = proxy.connect()) {
            WebDriverWait wait = new WebDriverWait(browser, Duration.ofSeconds(60));
            browser.get("http://127.0.0.1:" + HttpPortIT.httpPort(proxy) + "/");
            wait.until(page -> badge(page).equals("badge up"));
            assertThat(browser.findElement(By.id("idle")).isDisplayed()).isTrue();

            CompletableFuture<@Nullable Throwable> slow = run(client, SLOW);
            wait.until(page -> page.findElements(By.cssSelector(".part")).size() == 6);
            wait.until(page -> !page.findElements(By.cssSelector(".part.done")).isEmpty());
            assertThat(slow.get()).isNull();
            wait.until(page -> page.findElement(By.id("idle")).isDisplayed());
            wait.until(page -> texts(page, "#digests td.text").stream().anyMatch(text -> text.contains("SHA2")));

            CompletableFuture<@Nullable Throwable> endless = run(client, ENDLESS);
            wait.until(page -> !page.findElements(By.cssSelector(".fan-out")).isEmpty());
            // the next refresh replaces the buttons
            wait.ignoring(StaleElementReferenceException.class).until(page -> {
                page.findElement(By.cssSelector(".fan-out button")).click();
                return page.findElement(By.id("kill")).isDisplayed();
            });
            browser.findElement(By.id("kill-user")).sendKeys(server.adminUser());
            browser.findElement(By.id("kill-password")).sendKeys("wrong");
            browser.findElement(By.id("kill-confirm")).click();
            wait.until(page -> page.findElement(By.id("kill-error")).getText().startsWith("1045: "));
            browser.findElement(By.id("kill-password")).sendKeys(server.adminPassword());
            browser.findElement(By.id("kill-confirm")).click();
            wait.until(page -> !page.findElement(By.id("kill")).isDisplayed());
            assertThat(endless.get())
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(INTERRUPTED));
            wait.until(page -> page.findElement(By.id("idle")).isDisplayed());

            link.close();
            wait.until(page -> badge(page).equals("badge down"));
            assertThat(browser.findElement(By.id("notice")).getText()).isEmpty();
        } finally {
            browser.quit();
        }
    }

    private static String badge(WebDriver page) {
        return String.valueOf(page.findElement(By.id("server")).getAttribute("class"));
    }

    private static List<String> texts(WebDriver page, String selector) {
        return page.findElements(By.cssSelector(selector)).stream()
                .map(WebElement::getText)
                .toList();
    }
}
