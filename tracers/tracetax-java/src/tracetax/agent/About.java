package tracetax.agent;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes about.json: what this program is. */
final class About {

    private About() {
    }

    static void write(Folder folder, Clocks clocks, Map<String, String> environment) {
        StringBuilder out = new StringBuilder("{\"version\": 1, \"pid\": ").append(ProcessHandle.current().pid());
        text(out, "clock", clocks.name);
        String service = environment.get("OTEL_SERVICE_NAME");
        if (service != null && !service.isEmpty()) {
            text(out, "service", service);
        }
        out.append(", \"resource\": ").append(Json.object(resource(environment.get("OTEL_RESOURCE_ATTRIBUTES"))));
        text(out, "runtime", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        out.append(", \"clock_cost_ns\": ").append(Json.number(clocks.cost));
        out.append(", \"clock_step_ns\": ").append(Json.number(clocks.step));
        if (clocks.fallback != null) {
            text(out, "fallback", clocks.fallback);
        }
        folder.write("about.json", out.append("}\n").toString());
    }

    private static void text(StringBuilder out, String key, String value) {
        out.append(", ").append(Json.string(key)).append(": ").append(Json.string(value));
    }

    /** Reads KEY=VALUE,KEY=VALUE, where values are percent-encoded. A pair without a key is left out, as elsewhere. */
    static Map<String, String> resource(String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String part : text == null ? new String[0] : text.split(",")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                pairs.put(part.substring(0, equals).trim(), decoded(part.substring(equals + 1).trim()));
            }
        }
        return pairs;
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // a percent sign that encodes nothing
        }
    }
}
