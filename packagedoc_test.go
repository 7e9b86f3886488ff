package tracetax_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// One file of a package has its charter, so 'go doc' shows that alone: in all others a blank line stands between the
// header and the package clause.
func TestOneCharterEach(t *testing.T) {
	charters := map[string][]string{} // by folder and name of the package
	for _, root := range []string{"internal", "lab", "cmd", "e2e", "bench"} {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				if err == nil {
					err = fs.SkipDir
				}
				return err
			}
			if path.Ext(file) != ".go" {
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			of := filepath.Dir(file) + " " + parsed.Name.Name
			charters[of] = append(charters[of], nil...)
			if parsed.Doc != nil {
				charters[of] = append(charters[of], file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for of, files := range charters {
		if len(files) > 1 {
			slices.Sort(files)
			t.Errorf("%s: %d files have a comment directly above the package clause; keep it in the one that has the charter, and set a blank line in the others: %s",
				of, len(files), strings.Join(files, ", "))
		}
		if len(files) == 0 && !strings.HasSuffix(of, "_test") && (strings.HasPrefix(of, "internal/") || strings.HasPrefix(of, "lab")) {
			t.Errorf("%s: no file says what the package owns", of)
		}
	}
}
