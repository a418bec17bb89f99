package io.fanfold.it.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Capability;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ConfigLoader;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** The product image that {@code ./mvnw -Pimage verify} builds, with a root file system that cannot be written to. */
class ImageIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_image", admin -> {
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3");
        admin.execute("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
    });

    private static final String IMAGE = System.getProperty("fanfold.image", "");
    private static final int PORT = 3307;

    @BeforeEach
    void isBuilt() throws Exception {
        ClientProgram.require(
                "the image '" + IMAGE + "' of ./mvnw -Pimage", List.of("docker", "image", "inspect", IMAGE));
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void becomesHealthyAndSplitsAStatement(TestServer server) throws Exception {
        DATABASE.compared(server, 2).close();
        String address = ContainerServers.addressAmongContainers(server.name()).orElseThrow();
        try (GenericContainer<?> container = container(address + ":3306").waitingFor(Wait.forHealthcheck())) {
            container.start();
            assertThat(Objects.requireNonNull(container
                                    .getCurrentContainerInfo()
                                    .getState()
                                    .getHealth())
                            .getStatus())
                    .isEqualTo("healthy");
            try (WireConnection client = ProxiedServer.connect(
                    container.getHost(), container.getMappedPort(PORT), server.adminUser(), server.adminPassword())) {
                assertThat(client.query("SELECT /*+ PARALLEL(3) */ SUM(v) FROM it_image.t")
                                .rows())
                        .hasToString("[6]");
            }
            await().until(() -> container.getLogs().contains(" fanned out: 3 partitions"));
            assertThat(container.getLogs()).doesNotContain("of the Java runtime");
            assertThat(container.execInContainer("id", "-u").getStdout()).isEqualTo("10001\n");
            assertThat(container.execInContainer("touch", "/opt/fanfold/file").getStderr())
                    .contains("Read-only file system");
            assertThat(stop(container)).isZero();
        }
    }

    @Test
    void isNotHealthyWithoutItsServer() throws Exception {
        try (GenericContainer<?> container =
                container("127.0.0.1:1").waitingFor(Wait.forLogMessage(".* listening on .*", 1))) {
            container.start();
            ExecResult health = container.execInContainer("bash", "/opt/fanfold/bin/health.sh");
            assertThat(health.getExitCode()).isEqualTo(1);
            assertThat(health.getStdout()).contains("\"name\":\"server\",\"ok\":false");
        }
    }

    @Test
    void saysItsVersion() throws Exception {
        String version = IMAGE.substring(IMAGE.lastIndexOf(':') + 1);
        assertThat(ClientProgram.run("image-version", List.of("docker", "run", "--rm", IMAGE, "--version")))
                .containsExactly("fanfold " + version);
        assertThat(ClientProgram.run(
                        "image-label",
                        List.of(
                                "docker",
                                "image",
                                "inspect",
                                "--format={{index .Config.Labels \"org.opencontainers.image.version\"}}",
                                IMAGE)))
                .containsExactly(version);
    }

    /** As README says: no user but the image's own, no capability, nothing to write to but /tmp. */
    private static GenericContainer<?> container(String backend) {
        return ContainerServers.labelled(IMAGE)
                .withExposedPorts(PORT)
                .withEnv(ConfigLoader.PASSWORD_VARIABLE, ProxiedServer.WORKER_PASSWORD)
                .withTmpFs(Map.of("/tmp", "rw,exec"))
                .withCreateContainerCmdModifier(command -> Objects.requireNonNull(command.getHostConfig())
                        .withReadonlyRootfs(true)
                        .withCapDrop(Capability.ALL)
                        .withSecurityOpts(List.of("no-new-privileges")))
                .withCommand(
                        "run",
                        "--config",
                        "/etc/fanfold/fanfold.yaml",
                        "--backend",
                        backend,
                        "--worker-user",
                        ProxiedServer.WORKER);
    }

    /** Stops it as docker stop does, and returns the exit code. */
    private static long stop(GenericContainer<?> container) {
        container
                .getDockerClient()
                .stopContainerCmd(container.getContainerId())
                .withTimeout(60)
                .exec();
        InspectContainerResponse stopped = container
                .getDockerClient()
                .inspectContainerCmd(container.getContainerId())
                .exec();
        return Objects.requireNonNull(stopped.getState().getExitCodeLong());
    }
}
