package parts

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// The first variant of a tracer has its colour, with whatever others it stands on a page, in whatever order and language; every
// other variant has one of its own.
func TestVariantsHaveTheirHues(t *testing.T) {
	v := func(name, tracer string) finding.Variant { return finding.Variant{Name: name, Tracer: tracer} }
	none := v("none", "none")
	a := Paints([]finding.Variant{none, v("otel", "otel-go"), v("elastic", "elastic-go"), v("own", "acme-trace")}, "none")
	b := Paints([]finding.Variant{v("own", "acme-trace"), none, v("o-10", "otel-java"), v("e", "elastic-python"), v("o-100", "otel-java")}, "none")
	if a["none"] != (Paint{}) || b["none"] != (Paint{}) {
		t.Errorf("the baseline is painted %+v and %+v", a["none"], b["none"])
	}
	if a["otel"].Colour != b["o-10"].Colour || a["elastic"].Colour != b["e"].Colour || a["own"].Colour != b["own"].Colour {
		t.Errorf("a tracer has two colours: %+v and %+v", a, b)
	}
	for _, paints := range []map[string]Paint{a, b} {
		hues := map[int]string{}
		for name, p := range paints {
			if other, twice := hues[p.Colour]; twice {
				t.Errorf("%s and %s have one hue: %+v", name, other, paints)
			}
			hues[p.Colour] = name
		}
	}
	if of := Paints([]finding.Variant{v("before", "otel-go"), v("after", "otel-go")}, "before"); of["before"] != (Paint{}) || of["after"].Colour != a["otel"].Colour {
		t.Errorf("a baseline that is traced: %+v", of)
	}
}

// With more tracers than colours no two variants look alike.
func TestMoreTracersThanColours(t *testing.T) {
	variants := []finding.Variant{{Name: "none", Tracer: "none"}, {Name: "otel", Tracer: "otel-go"}}
	for i := range 3 * Colours {
		variants = append(variants, finding.Variant{Name: fmt.Sprint("v", i), Tracer: fmt.Sprint("tracer", i)})
	}
	colours := map[int]bool{}
	seen := map[Paint]string{}
	for name, p := range Paints(variants, "none") {
		if other, twice := seen[p]; twice {
			t.Errorf("%s and %s are both %+v", name, other, p)
		}
		seen[p], colours[p.Colour] = name, true
		if p.Colour < 0 || p.Colour > Colours {
			t.Errorf("%s has the colour %d", name, p.Colour)
		}
	}
	if len(colours) != Colours+1 {
		t.Errorf("%d colours of %d are used", len(colours), Colours+1)
	}
}

// What is seen of red, green and blue light without one kind of cones (Machado, Oliveira and Fernandes 2009, wholly without).
var blindness = map[string][3][3]float64{
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// seenWith is what is seen of a colour.
func seenWith(m [3][3]float64, c [3]float64) [3]float64 {
	var out [3]float64
	for i := range out {
		for j := range c {
			out[i] += m[i][j] * c[j]
		}
		out[i] = min(1, max(0, out[i]))
	}
	return out
}

// Every colour stands out from the paper, in the light and in the dark, and from every other, also for the colour-blind.
func TestColoursAreSeen(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "page", "assets", "page.css"))
	if err != nil {
		t.Fatal(err)
	}
	themes := strings.Split(string(text), "--paper: ")[1:]
	if len(themes) != 3 { // light, dark by the system, dark by the button
		t.Fatalf("%d themes", len(themes))
	}
	one := regexp.MustCompile(`--c(\d+): (#[0-9a-f]{6})`)
	for n, theme := range themes {
		paper := theme[:7]
		of := map[int]string{}
		for _, m := range one.FindAllStringSubmatch(theme, -1) {
			i, _ := strconv.Atoi(m[1]) // it is digits
			of[i] = m[2]
		}
		if len(of) != Colours+1 {
			t.Errorf("theme %d has %d colours, want %d", n, len(of), Colours+1)
		}
		for i, a := range of {
			if c := contrast(a, paper); c < 3 { // what WCAG asks of graphics
				t.Errorf("theme %d: --c%d has a contrast of %.1f, want 3", n, i, c)
			}
			for j, b := range of {
				if d := apart(linear(a), linear(b)); i < j && d < 25 {
					t.Errorf("theme %d: --c%d and --c%d are %.0f apart, want 25", n, i, j, d)
				}
				for name, m := range blindness {
					if d := apart(seenWith(m, linear(a)), seenWith(m, linear(b))); i < j && d < 11 {
						t.Errorf("theme %d, %s: --c%d and --c%d are %.1f apart, want 11", n, name, i, j, d)
					}
				}
			}
		}
	}
}

// linear are the red, green and blue of a colour, in light.
func linear(colour string) [3]float64 {
	var out [3]float64
	for i := range out {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(err)
		}
		if v := float64(n) / 255; v <= 0.04045 {
			out[i] = v / 12.92
		} else {
			out[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrast is that of WCAG 2.
func contrast(a, b string) float64 {
	luminance := func(colour string) float64 {
		c := linear(colour)
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// apart is the distance of two colours in CIELAB.
func apart(a, b [3]float64) float64 {
	lab := func(c [3]float64) [3]float64 {
		f := func(t float64) float64 {
			if t > 0.008856 {
				return math.Cbrt(t)
			}
			return 7.787*t + 16.0/116
		}
		x, y, z := f((0.4124*c[0]+0.3576*c[1]+0.1805*c[2])/0.95047), f(0.2126*c[0]+0.7152*c[1]+0.0722*c[2]), f((0.0193*c[0]+0.1192*c[1]+0.9505*c[2])/1.08883)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	x, y, sum := lab(a), lab(b), 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(sum)
}
