package io.fanfold.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles signals of the operating system. The class for them is part of every JDK 17, in the module
 * {@code jdk.unsupported}, but not of the Java platform. So it is found by its name. Without the class or the signal,
 * for instance on Windows, the JVM's default applies.
 */
public final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

    private Signals() {}

    /**
     * From now on a signal runs the handler, each time on a thread of its own.
     *
     * @param name without SIG, e.g. {@code HUP}
     * @return false if the process was started with this signal ignored, as under {@code nohup}: then the JVM keeps
     *     ignoring it
     */
    public static boolean on(String name, Runnable handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlers = Class.forName("sun.misc.SignalHandler");
            Object adapter = Proxy.newProxyInstance(
                    handlers.getClassLoader(), new Class<?>[] {handlers}, (self, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            handler.run();
                            return null;
                        }
                        return method.getName().equals("toString") ? name : null;
                    });
            Object before = signal.getMethod("handle", signal, handlers)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), adapter);
            return before != handlers.getField("SIG_IGN").get(null);
        } catch (InvocationTargetException e) {
            // the signal does not exist here, or the JVM reserves it
            LOG.debug("SIG{} is not handled", name, e.getCause());
        } catch (ReflectiveOperationException e) {
            LOG.debug("no signal is handled", e);
        }
        return true;
    }
}
