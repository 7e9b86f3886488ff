package tracetax.skywalking;

import java.lang.reflect.Method;
import org.apache.skywalking.apm.agent.core.context.ContextManager;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.EnhancedInstance;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.InstanceMethodsAroundInterceptor;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.MethodInterceptResult;
import org.apache.skywalking.apm.agent.core.util.MethodUtil;

/** Makes a local span of each call, named after the method, as the customize-enhance plugin does where no name is given. */
public class LocalSpanInterceptor implements InstanceMethodsAroundInterceptor {

    @Override
    public void beforeMethod(EnhancedInstance instance, Method method, Object[] arguments, Class<?>[] types,
            MethodInterceptResult result) {
        ContextManager.createLocalSpan(MethodUtil.generateOperationName(method));
    }

    @Override
    public Object afterMethod(EnhancedInstance instance, Method method, Object[] arguments, Class<?>[] types,
            Object returned) {
        ContextManager.stopSpan();
        return returned;
    }

    @Override
    public void handleMethodException(EnhancedInstance instance, Method method, Object[] arguments, Class<?>[] types,
            Throwable thrown) {
        ContextManager.activeSpan().log(thrown);
    }
}
