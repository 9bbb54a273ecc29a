// The reader's library by itself, and one to measure the reader with.
//
//   library-bench seed PATH        makes a library with much in it
//   library-bench open PATH TIMES  opens one again and again
//   library-bench commit PATH TIMES
//       commits favourites, beside appends to a file in the same directory
//
//   library-bench import PATH TIMES
//       imports what the phone app kept, beside inserts of the same rows by SQLite alone
//
// All but the first print tab-separated lines: what, times, median, p99, max (ms).
import Glibc
import Library
import Samples

func report(_ samples: KeyValuePairs<String, Samples>) {
  print("what\ttimes\tmedian\tp99\tmax")
  for (what, samples) in samples {
    print(([what, String(samples.times.count)] + samples.columns).joined(separator: "\t"))
  }
}

let arguments = CommandLine.arguments.dropFirst()
let path = arguments.dropFirst().first ?? ""
let times = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
do {
  switch (arguments.first, arguments.count) {
  case ("seed", 2):
    try seed(path)
  case ("open", 3) where times > 0:
    report(["open": try timesToOpen(path, times)])
  case ("commit", 3) where times > 0:
    let (commits, appends) = try timesToCommit(path, times)
    report(["commit": commits, "append": appends])
  case ("import", 3) where times > 0:
    let (imports, decodings, inserts) = try timesToImport(path, times)
    report(["import": imports, "decode": decodings, "insert": inserts])
  default:
    fail("library-bench: see its source")
  }
} catch {
  fail("library-bench: \(error)")
}
