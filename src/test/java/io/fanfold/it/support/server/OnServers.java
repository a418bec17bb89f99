package io.fanfold.it.support.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test method, or all tests of a class, once on each of the named servers. The method, the constructor and the
 * life-cycle methods may have a parameter of type {@link TestServer}.
 *
 * <p>On a method it replaces {@code @Test}. Methods of an annotated class have {@code @Test} as usual. An unavailable
 * server means a skipped run with a warning, or a failure with {@code -Dfanfold.it.required=true}.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ClassTemplate
@ExtendWith(ServerExtension.class)
public @interface OnServers {
    ServerName[] value();
}
