package io.fanfold.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals of the operating system. The class for them belongs to every JDK 17, in the module {@code jdk.unsupported}, but is not
 * part of the language's platform, so it is found by its name; where there is none, or no such signal, as on Windows, the JVM does
 * what it does by itself.
 */
final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

    private Signals() {}

    /**
     * From now on a signal is handled so, each time on a thread of its own.
     *
     * @param name without SIG, e.g. {@code HUP}
     * @return whether the signal can come: the JVM leaves one ignored with which it was started so, as under {@code nohup}
     */
    static boolean on(String name, Runnable handler) {
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
            // it is none here, or the JVM keeps it for itself
            LOG.debug("SIG{} is not handled", name, e.getCause());
        } catch (ReflectiveOperationException e) {
            LOG.debug("no signal is handled", e);
        }
        return true;
    }
}
