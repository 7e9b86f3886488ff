package tracetax.skywalking;

import static org.apache.skywalking.apm.dependencies.net.bytebuddy.matcher.ElementMatchers.named;

import org.apache.skywalking.apm.agent.core.plugin.interceptor.ConstructorInterceptPoint;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.InstanceMethodsInterceptPoint;
import org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.ClassInstanceMethodsEnhancePluginDefine;
import org.apache.skywalking.apm.agent.core.plugin.match.ClassMatch;
import org.apache.skywalking.apm.agent.core.plugin.match.NameMatch;
import org.apache.skywalking.apm.dependencies.net.bytebuddy.description.method.MethodDescription;
import org.apache.skywalking.apm.dependencies.net.bytebuddy.matcher.ElementMatcher;

/**
 * Tells SkyWalking's agent which method to instrument. It stands for the agent's optional
 * customize-enhance plugin, which instruments the methods of a list.
 */
public class RecursionInstrumentation extends ClassInstanceMethodsEnhancePluginDefine {

    @Override
    protected ClassMatch enhanceClass() {
        return NameMatch.byName("tracetax.calls.Recursion");
    }

    @Override
    public ConstructorInterceptPoint[] getConstructorsInterceptPoints() {
        return new ConstructorInterceptPoint[0];
    }

    @Override
    public InstanceMethodsInterceptPoint[] getInstanceMethodsInterceptPoints() {
        return new InstanceMethodsInterceptPoint[] {new MonitoredMethod()};
    }

    private static final class MonitoredMethod implements InstanceMethodsInterceptPoint {

        @Override
        public ElementMatcher<MethodDescription> getMethodsMatcher() {
            return named("monitoredMethod");
        }

        @Override
        public String getMethodsInterceptor() {
            return "tracetax.skywalking.LocalSpanInterceptor";
        }

        @Override
        public boolean isOverrideArgs() {
            return false;
        }
    }
}
