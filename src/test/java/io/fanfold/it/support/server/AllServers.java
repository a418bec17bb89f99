package io.fanfold.it.support.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Runs a test method, or all tests of a class, on MySQL and on MariaDB; see {@link OnServers}. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@OnServers({ServerName.MARIADB, ServerName.MYSQL})
public @interface AllServers {}
