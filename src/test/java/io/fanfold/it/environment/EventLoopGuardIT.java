package io.fanfold.it.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.it.support.proxy.EventLoopGuard;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockingOperationError;

/** Checks that all other tests would detect a blocked event loop. */
class EventLoopGuardIT {
    @Test
    void anEventLoopThatWaitsIsNoticed() throws Exception {
        assertThat(EventLoopGuard.POSSIBLE).as("set by the build").isTrue();
        EventLoopGuard.install();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            Future<?> waits = loops.submit(() -> LockSupport.parkNanos(1));
            assertThatThrownBy(() -> waits.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(BlockingOperationError.class);
            assertThat(EventLoopGuard.blocked()).hasSize(1);
            EventLoopGuard.requireNothingBlocked();

            Future<?> unused = loops.submit(() -> LockSupport.parkNanos(1));
            loops.submit(() -> {}).get(20, TimeUnit.SECONDS);
            assertThatExceptionOfType(AssertionError.class).isThrownBy(EventLoopGuard::requireNothingBlocked);
        } finally {
            loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
        }
    }
}
