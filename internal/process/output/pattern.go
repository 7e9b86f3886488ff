package output

// Patterns that are matched against every line of a log. A log may have a hundred megabytes, and a regular expression without a
// literal beginning takes half a microsecond a byte. So a line is first searched for texts that any match must have.

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Pattern is a regular expression for lines of a log.
type Pattern struct {
	*regexp.Regexp
	needs [][]string // a matching line has one text of each
	folds bool       // the texts are in lower case; lines are lowered first
}

// Compile parses an expression, with the syntax of package regexp.
func Compile(text string) (*Pattern, error) {
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return PatternOf(expression), nil
}

// MustCompile is Compile for expressions of this program.
func MustCompile(text string) *Pattern { return PatternOf(regexp.MustCompile(text)) }

// PatternOf returns an expression as a pattern.
func PatternOf(expression *regexp.Regexp) *Pattern {
	p := &Pattern{Regexp: expression}
	tree, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil { // as of one made in another syntax: every line is matched
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

// First returns the index of the first of some patterns that matches a line; −1 if none does.
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

// Find returns the match and those of its groups; nil if there is none.
func (p *Pattern) Find(line string) []string {
	if !p.May(line) {
		return nil
	}
	return p.FindStringSubmatch(line)
}

// May reports whether a line has the texts that any match must have.
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

// lowered returns a line in lower case, with the long s as s.
func lowered(line string) string { return strings.ReplaceAll(strings.ToLower(line), "ſ", "s") }

// Bounds of the texts of a pattern.
const (
	leastText = 3  // bytes: shorter ones are in every line
	mostTexts = 40 // to search for: with more the expression is matched at once
)

func folds(tree *syntax.Regexp) bool {
	return tree.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(tree.Sub, folds)
}

// needs returns lists of texts: any match has one of each list; nil if none is known.
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
			row, n := []string(nil), 0 // of adjacent parts whose texts are all known
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

// texts returns all texts that a part of an expression matches; nil if too many.
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

// joined appends each of after to each of before (nil is the empty text); nil if too many.
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

// few returns texts, each once; nil if too many.
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
