package program

import "testing"

func TestIsSecret(t *testing.T) {
	for _, test := range []struct {
		name, value string
		want        bool
	}{
		{"headers", "on", false},
		{"headers", "off", false},
		{"headers", "true", false},
		{"headers", "", false},
		{"headers", "500", false},
		{"headers", "12000", false},
		{"headers", "x-api-key=hush", true},
		{"headers", "hush", true},
		{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=hush", true},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=Basic%20aHVzaA==", true},
		{"ELASTIC_APM_CAPTURE_HEADERS", "false", false},
		{"OTEL_INSTRUMENTATION_HTTP_SERVER_CAPTURE_REQUEST_HEADERS", "content-type", false},
		{"max-header-size", "64kB", false},
		{"Authorization", "Bearer hush", true},
		{"auth", "on", false},
		{"auth", "user:hush", true},
		{"Cookie", "session=hush", true},
		{"DB_PASSWORD", "123456", true},
		{"DB_PASSWORD", "hush", true},
		{"DB_PASS", "hush", true},
		{"MYSQL_PWD", "hush", true},
		{"PWD", "/srv/shop", false},
		{"BYPASS", "hush", false},
		{"SLACK_WEBHOOK", "T0/B0/x", true},
		{"jwt", "a.b.c", true},
		{"KEY_PASSPHRASE", "hush", true},
		{"token", "hush", true},
		{"token-lifetime", "30s", false},
		{"token", "12345678", true},
		{"max-tokens", "500", false},
		{"api_key", "0123456789abcdef", true},
		{"license-key", "hush", true},
		{"NEW_RELIC_LICENSE_KEY", "hush", true},
		{"client-secret", "hush", true},
		{"keyspace", "shop", false},
		{"key-file", "server.pem", false},
		{"author", "somebody", false},
		{"sampling", "10%", false},
		{"content-type", "application/json", false},
	} {
		if got := IsSecret(test.name, test.value); got != test.want {
			t.Errorf("%s: %q is a secret: %t, want %t", test.name, test.value, got, test.want)
		}
	}
}
