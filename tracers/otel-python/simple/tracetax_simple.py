"""The SDK's own configurator, with the simple span processor.

OpenTelemetry for Python has no variable that chooses the span processor. A
distribution of OpenTelemetry chooses it in a configurator such as this one, which
an entry point names; everything else is configured as without it.
"""

from opentelemetry.sdk._configuration import _OTelSDKConfigurator
from opentelemetry.sdk.trace.export import SimpleSpanProcessor


class SimpleConfigurator(_OTelSDKConfigurator):
    def _configure(self, **kwargs):
        super()._configure(export_span_processor=SimpleSpanProcessor, **kwargs)
