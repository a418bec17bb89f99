package io.fanfold.it.support.server;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Creates one run for each server named by {@link OnServers}. */
final class ServerExtension implements TestTemplateInvocationContextProvider, ClassTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getElement(), OnServers.class);
    }

    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getElement(), OnServers.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        return servers(context).map(MethodRun::new);
    }

    @Override
    public Stream<ClassTemplateInvocationContext> provideClassTemplateInvocationContexts(ExtensionContext context) {
        return servers(context).map(ClassRun::new);
    }

    private static Stream<ServerName> servers(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), OnServers.class).stream()
                .flatMap(annotation -> Stream.of(annotation.value()));
    }

    private record MethodRun(ServerName server) implements TestTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocationIndex) {
            return server.toString();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new MethodServer(server));
        }
    }

    private record ClassRun(ServerName server) implements ClassTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocationIndex) {
            return server.toString();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new ClassServer(server));
        }
    }

    /** For a run of a method. It is a condition, because conditions are evaluated before anything needs the server. */
    private record MethodServer(ServerName server) implements ExecutionCondition, ServerResolver {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Optional<String> absence = TestServers.absence(server);
            if (absence.isPresent()) {
                return ConditionEvaluationResult.disabled(absence.get());
            }
            ServerUses.record(context.getRequiredTestClass().getName(), server);
            return ConditionEvaluationResult.enabled(server + " is there");
        }
    }

    /** For a run of a class. Classes do not support conditions, and an exception from a resolver would be a failure. */
    private record ClassServer(ServerName server) implements TestInstancePreConstructCallback, ServerResolver {
        @Override
        public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
            TestServers.get(server);
            ServerUses.record(factory.getTestClass().getName(), server);
        }
    }

    private interface ServerResolver extends ParameterResolver {
        ServerName server();

        @Override
        default boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == TestServer.class;
        }

        @Override
        default Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return TestServers.get(server());
        }
    }
}
