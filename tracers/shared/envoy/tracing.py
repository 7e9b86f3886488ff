"""What is added to a configuration: a provider in every HTTP connection manager, the cluster of the receiver, the
runtime's keys, and a page of counters."""

from tree import Refused, entries, entry, field, get, items, line, made, mappings, put, represent, text

TYPE = "type.googleapis.com/envoy."
MANAGER = "http_connection_manager.v3.HttpConnectionManager"
RECEIVER = "tracetax_receiver"
COUNTERS = "tracetax_counters"
OWNED = {  # keys of tracing that the tracer's settings stand for
    "random_sampling": "sampling", "client_sampling": "sampling", "overall_sampling": "sampling", "spawn_upstream_span": "upstream-span",
}


class Chosen:
    """What is chosen, by ENVOY_TRACING_* variables."""

    def __init__(self, env, command):
        def of(name):
            return env["ENVOY_TRACING_" + name]

        self.provider = of("PROVIDER")
        self.receiver = of("RECEIVER")
        self.counters = of("COUNTERS")
        self.service = of("SERVICE")
        self.flush, self.delay = int(of("FLUSH")), int(of("DELAY"))
        self.pending = int(of("PENDING"))
        self.sampling = float(of("SAMPLING"))
        self.upstream = of("UPSTREAM_SPAN") == "on"
        if self.provider == "opentelemetry":
            self.protocol = of("PROTOCOL")
            self.buffer = int(of("BUFFER"))
            self.timeout = of("TIMEOUT") + "s"
        else:
            self.format = of("FORMAT")
            self.shared = of("SHARED") == "on"
        self.names_cluster = "--service-cluster" in command


def add(root, name, chosen):
    """Adds it all. Returns warnings."""
    resources = get(root, "static_resources")
    refuse(root, name)
    found = list(managers(get(resources, "listeners")))
    if not found:
        raise Refused(f"{name}: it has no HTTP connection manager in static_resources.listeners, and nothing else makes spans")
    for manager in found:
        routes(manager, name)
        trace(manager, name, chosen)
    made(resources, "clusters", []).value.append(represent(receiver(chosen)))
    counters(root, resources, chosen.counters)
    runtime(root, name, chosen)
    if chosen.provider == "zipkin" and not chosen.names_cluster:  # the service of its spans is called so
        made(made(root, "node", {}), "cluster", chosen.service)
    if chosen.provider == "opentelemetry" and chosen.flush > chosen.buffer:
        return [f"flush ({chosen.flush}) is above buffer ({chosen.buffer}): of {chosen.buffer + 1} spans one is dropped, each time that the buffer is full"]
    return []


def refuse(root, name):
    """Complains of what tracing cannot be added to."""
    for path in (("dynamic_resources", "lds_config"), ("tracing", "http")):
        node = get(root, *path)
        if node is None:
            continue
        at = line(entry(get(root, path[0]), path[1])[0])
        if path[0] == "tracing":
            raise Refused(f"{name}:{at}: there is a tracing provider already; leave it out here: the tracer puts in its own")
        raise Refused(f"{name}:{at}: the listeners come from elsewhere (lds_config), such as a control plane: turn tracing on there. "
                      "A configuration with its listeners in static_resources can be given it here")


def managers(listeners):
    """All HTTP connection managers."""
    for mapping in mappings(listeners):
        if text(get(mapping, "@type")).endswith(MANAGER):
            yield mapping
        elif text(get(mapping, "type_url")).endswith(MANAGER) and get(mapping, "value") is not None:
            yield get(mapping, "value")


def owned(tracing, name):
    """Complains of keys of tracing that settings stand for."""
    for key, _ in entries(tracing):
        if field(key) in OWNED:
            raise Refused(f"{name}:{line(key)}: {key.value} is what the setting {OWNED[field(key)]} of the tracer is for; leave it out here")


def routes(manager, name):
    """Complains of routes that trace a share of their own: Envoy takes a route's tracing for the manager's."""
    for mapping in mappings(manager):
        if mapping is not manager:
            owned(get(mapping, "tracing"), name)


def trace(manager, name, chosen):
    tracing = made(manager, "tracing", {})
    found = entry(tracing, "provider")
    if found:
        raise Refused(f"{name}:{line(found[0])}: there is a tracing provider already; leave it out here: the tracer puts in its own")
    owned(tracing, name)
    put(tracing, "random_sampling", {"value": chosen.sampling})
    put(tracing, "spawn_upstream_span", chosen.upstream)
    put(tracing, "provider", provider(chosen))


def provider(chosen):
    if chosen.provider == "zipkin":
        config = {
            "@type": TYPE + "config.trace.v3.ZipkinConfig", "collector_cluster": RECEIVER, "collector_endpoint": "/api/v2/spans",
            "collector_endpoint_version": {"json": "HTTP_JSON", "protobuf": "HTTP_PROTO"}[chosen.format], "shared_span_context": chosen.shared,
        }
    else:
        config = {"@type": TYPE + "config.trace.v3.OpenTelemetryConfig", "service_name": chosen.service, "max_cache_size": chosen.buffer}
        if chosen.protocol == "grpc":
            config["grpc_service"] = {"envoy_grpc": {"cluster_name": RECEIVER}, "timeout": chosen.timeout}
        else:
            config["http_service"] = {"http_uri": {"uri": f"http://{chosen.receiver}/v1/traces", "cluster": RECEIVER, "timeout": chosen.timeout}}
    return {"name": "envoy.tracers." + chosen.provider, "typed_config": config}


def cluster(name, address):
    return {"name": name, "type": "STATIC", "load_assignment": {
        "cluster_name": name, "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}]}}


def socket(address):
    host, _, port = address.rpartition(":")
    return {"socket_address": {"address": host.strip("[]"), "port_value": int(port)}}


def receiver(chosen):
    out = cluster(RECEIVER, socket(chosen.receiver))
    out["circuit_breakers"] = {"thresholds": [{"max_requests": chosen.pending, "max_pending_requests": chosen.pending}]}
    if chosen.provider == "opentelemetry" and chosen.protocol == "grpc":
        options = "extensions.upstreams.http.v3.HttpProtocolOptions"
        out["typed_extension_protocol_options"] = {"envoy." + options: {
            "@type": TYPE + options, "explicit_http_config": {"http2_protocol_options": {}}}}
    return out


def runtime(root, name, chosen):
    """Sets when spans are flushed, and which share of requests is traced, also on routes that say another: in a layer behind all
    others, but for the admin page's where that is the last."""
    keys = {
        f"tracing.{chosen.provider}.min_flush_spans": ("flush", chosen.flush),
        f"tracing.{chosen.provider}.flush_interval_ms": ("delay", chosen.delay),
        "tracing.random_sampling": ("sampling", {"numerator": round(chosen.sampling * 100), "denominator": "TEN_THOUSAND"}),
        "tracing.client_enabled": ("sampling", 100),
        "tracing.global_enabled": ("sampling", 100),
    }
    layers = made(made(root, "layered_runtime", {}), "layers", []).value
    for layer in layers:
        for key, node in runtime_keys(get(layer, "static_layer")):
            if key in keys:
                raise Refused(f"{name}:{line(node)}: the runtime's {key} is what the setting {keys[key][0]} of the tracer is for; leave it out here")
    if not layers:  # Envoy takes the admin page's for a runtime without layers
        layers.append(represent({"name": "admin", "admin_layer": {}}))
    behind = len(layers) - (1 if entry(layers[-1], "admin_layer") else 0)
    layers.insert(behind, represent({"name": "tracetax", "static_layer": {key: value for key, (_, value) in keys.items()}}))


def runtime_keys(node, before=""):
    """The runtime's keys that a static layer sets, with their nodes: a.b may be b in a."""
    for key, value in entries(node):
        yield before + key.value, key
        yield from runtime_keys(value, before + key.value + ".")


def counters(root, resources, address):
    """Makes the admin page, or an open way to the one that there is."""
    own = get(root, "admin", "address")
    if own is None or text(get(own, "socket_address", "port_value")) == "0":
        put(made(root, "admin", {}), "address", socket(address))
        return
    host = text(get(own, "socket_address", "address"))
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host)
    if everywhere:
        own = represent({"socket_address": {"address": everywhere, "port_value": int(text(get(own, "socket_address", "port_value")))}})
    way = represent(cluster(COUNTERS, {}))
    endpoint = items(get(items(get(way, "load_assignment", "endpoints"))[0], "lb_endpoints"))[0]
    put(get(endpoint, "endpoint"), "address", own)
    made(resources, "clusters", []).value.append(way)
    made(resources, "listeners", []).value.append(represent({"name": COUNTERS, "address": socket(address), "filter_chains": [{"filters": [{
        "name": "envoy.filters.network.tcp_proxy", "typed_config": {
            "@type": TYPE + "extensions.filters.network.tcp_proxy.v3.TcpProxy", "stat_prefix": COUNTERS, "cluster": COUNTERS}}]}]}))
