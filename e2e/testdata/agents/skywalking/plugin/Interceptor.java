package plugin;

import java.lang.reflect.Method;
import org.apache.skywalking.apm.agent.core.context.ContextManager;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.EnhancedInstance;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.InstanceMethodsAroundInterceptor;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.MethodInterceptResult;

/** Begins and ends the span. */
public class Interceptor implements InstanceMethodsAroundInterceptor {
    @Override
    public void beforeMethod(EnhancedInstance object, Method method, Object[] arguments, Class<?>[] types, MethodInterceptResult result) {
        ContextManager.createLocalSpan("calls.Recursion.call");
    }

    @Override
    public Object afterMethod(EnhancedInstance object, Method method, Object[] arguments, Class<?>[] types, Object result) {
        ContextManager.stopSpan();
        return result;
    }

    @Override
    public void handleMethodException(EnhancedInstance object, Method method, Object[] arguments, Class<?>[] types, Throwable thrown) {
        ContextManager.activeSpan().log(thrown);
    }
}
