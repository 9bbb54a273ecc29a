// How long the search takes inside the program, for every key of a typed query, over four editions
// and 20,000 notes. The editions are four times the bundled text; an ayah is marked as found in the
// first one, so the others are searched in vain, which costs the same.
//
// Prints tab-separated lines: what, keystrokes, hits, median, p99, max (ms).
// The one argument is how often each query is typed.
import Editions
import Quran
import Samples

let queries = [
  "khoan dung", "dang rat muc nhan tu", "dâng", "a", "n", "xyz", "con duong ngay thang",
]
/// As many hits as a tall screen shows with their matches marked.
let shownHits = 20
let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100

let edition = Edition.bundled

/// The texts of notes: each the end of an ayah.
let notes = (0..<20_000).map { number in
  let ayah = AyahID(index: number % AyahID.count + 1) ?? .first
  return String(edition.text(of: ayah).suffix(120))
}

/// What one keystroke costs: every hit found, counted and ranked, and the hits
/// on the screen marked. Returns the count, and the marks so that none is optimised away.
func search(_ text: Substring, in indexes: Indexes) -> (hits: Int, marks: Int) {
  let query = SearchQuery(String(text))
  let hits = indexes.editions.search(query).ayahs
  let found = indexes.notes.search(query).positions
  let marks = hits.prefix(shownHits).reduce(0) {
    $0 + query.matches(in: edition.text(of: $1)).count
  }
  return (hits.count + found.count, marks)
}

func report(_ what: String, keystrokes: Int, hits: Int, _ samples: Samples) {
  print(([what, String(keystrokes), String(hits)] + samples.columns).joined(separator: "\t"))
}

/// What is searched.
struct Indexes {
  let editions: EditionSearch
  let notes: TextIndex
}

var building = Samples()
var index = building.measure { SearchIndex(edition) }
for _ in 1..<5 { index = building.measure { SearchIndex(edition) } }
let indexes = Indexes(
  editions: EditionSearch([index, index, index, index]), notes: TextIndex(notes))

guard rounds > 0, search("khoan dung", in: indexes).marks > 0 else {
  fail("search-bench: the search finds and marks nothing: there is nothing to measure")
}

print("what\tkeystrokes\thits\tmedian\tp99\tmax")
report("index", keystrokes: 0, hits: 0, building)
var results = queries.map { (query: $0, hits: 0, samples: Samples()) }
for _ in 1...rounds {
  for number in results.indices {
    let query = results[number].query
    for end in query.indices {
      results[number].hits =
        results[number].samples.measure { search(query[...end], in: indexes) }.hits
    }
  }
}
var all = Samples()
for result in results {
  report(result.query, keystrokes: result.query.count, hits: result.hits, result.samples)
  all.append(result.samples)
}
report("all", keystrokes: results.reduce(0) { $0 + $1.query.count }, hits: 0, all)
