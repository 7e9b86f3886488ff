package output

// Patterns that are asked of every line of a log. A log may have a hundred megabytes, and a regular expression that begins with
// no literal text takes half a microsecond a byte. So a line is asked first whether it has the texts without which the
// expression cannot match.

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Pattern is a regular expression for lines of a log.
type Pattern struct {
	*regexp.Regexp
	needs [][]string // a line that matches has one text of each
	folds bool       // the texts are in lower case, and the line may be in any
}

// Compile reads an expression, as package regexp has it.
func Compile(text string) (*Pattern, error) {
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return PatternOf(expression), nil
}

// MustCompile is Compile for expressions of this program.
func MustCompile(text string) *Pattern { return PatternOf(regexp.MustCompile(text)) }

// PatternOf is an expression as a pattern.
func PatternOf(expression *regexp.Regexp) *Pattern {
	p := &Pattern{Regexp: expression}
	tree, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil { // as of one that was made in another syntax: every line is asked
		return p
	}
	p.folds = folds(tree)
	for _, any := range needs(tree, p.folds) {
		if shortest(any) < leastText {
			continue
		}
		if p.folds { // as the lines
			for i := range any {
				any[i] = lowered(any[i])
			}
		}
		p.needs = append(p.needs, any)
	}
	return p
}

// Match reports whether a line matches.
func (p *Pattern) Match(line string) bool { return p.May(line) && p.MatchString(line) }

// First is the place of the first of some patterns that a line matches; −1 where it matches none.
func First(line string, patterns ...*Pattern) int {
	lower := ""
	for i, p := range patterns {
		if p.folds && lower == "" && len(p.needs) > 0 {
			lower = lowered(line)
		}
		if p.may(line, lower) && p.MatchString(line) {
			return i
		}
	}
	return -1
}

// Find is the match and those of its groups; nil where there is none.
func (p *Pattern) Find(line string) []string {
	if !p.May(line) {
		return nil
	}
	return p.FindStringSubmatch(line)
}

// May reports whether a line has the texts without which it cannot match.
func (p *Pattern) May(line string) bool {
	if !p.folds || len(p.needs) == 0 {
		return p.may(line, "")
	}
	return p.may(line, lowered(line))
}

func (p *Pattern) may(line, lower string) bool {
	if p.folds {
		line = lower
	}
	for _, any := range p.needs {
		if !slices.ContainsFunc(any, func(text string) bool { return strings.Contains(line, text) }) {
			return false
		}
	}
	return true
}

// lowered is a line in lower case, in which an s is one that is long in any case.
func lowered(line string) string { return strings.ReplaceAll(strings.ToLower(line), "ſ", "s") }

// Bounds of the texts of a pattern.
const (
	leastText = 3  // bytes: shorter ones are in every line
	mostTexts = 40 // to look for: of more the expression is asked at once
)

func folds(tree *syntax.Regexp) bool {
	return tree.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(tree.Sub, folds)
}

// needs are texts of which whatever matches has one of each; nil where none is known.
func needs(tree *syntax.Regexp, lower bool) [][]string {
	if whole := texts(tree, lower); whole != nil {
		return [][]string{whole}
	}
	switch tree.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needs(tree.Sub[0], lower)
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return needs(tree.Sub[0], lower)
		}
	case syntax.OpConcat:
		var all [][]string
		for rest := tree.Sub; len(rest) > 0; {
			row, n := []string(nil), 0 // of those that stand side by side and are known whole
			for n < len(rest) {
				next := joined(row, texts(rest[n], lower))
				if next == nil {
					break
				}
				row, n = next, n+1
			}
			if n == 0 {
				row, n = nil, 1
				all = append(all, needs(rest[0], lower)...)
			}
			if row != nil {
				all = append(all, row)
			}
			rest = rest[n:]
		}
		return all
	case syntax.OpAlternate:
		var any []string
		for _, sub := range tree.Sub {
			all := needs(sub, lower)
			if len(all) == 0 {
				return nil
			}
			any = append(any, slices.MaxFunc(all, func(a, b []string) int { return shortest(a) - shortest(b) })...)
		}
		if len(any) <= mostTexts {
			return [][]string{any}
		}
	}
	return nil
}

// texts are all that a part of an expression matches; nil where they are too many.
func texts(tree *syntax.Regexp, lower bool) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		if text := string(tree.Rune); lower {
			return []string{strings.ToLower(text)}
		} else {
			return []string{text}
		}
	case syntax.OpCapture:
		return texts(tree.Sub[0], lower)
	case syntax.OpCharClass:
		var all []string
		for i := 0; i < len(tree.Rune); i += 2 {
			for r := tree.Rune[i]; r <= tree.Rune[i+1] && len(all) <= mostTexts; r++ {
				all = append(all, string(r))
			}
		}
		return few(all, lower)
	case syntax.OpConcat:
		var row []string
		for _, sub := range tree.Sub {
			if row = joined(row, texts(sub, lower)); row == nil {
				return nil
			}
		}
		return row
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			some := texts(sub, lower)
			if some == nil {
				return nil
			}
			all = append(all, some...)
		}
		return few(all, lower)
	}
	return nil
}

// joined are all of before, nil is the empty text, with one of after behind it; nil where they are too many.
func joined(before, after []string) []string {
	if before == nil || after == nil {
		return after
	}
	var all []string
	for _, b := range before {
		for _, a := range after {
			all = append(all, b+a)
		}
	}
	return few(all, false)
}

// few are texts, each once; nil where they are too many.
func few(all []string, lower bool) []string {
	for i := range all {
		if lower {
			all[i] = strings.ToLower(all[i])
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > mostTexts {
		return nil
	}
	return all
}

func shortest(any []string) int {
	least := len(any[0])
	for _, text := range any {
		least = min(least, len(text))
	}
	return least
}
