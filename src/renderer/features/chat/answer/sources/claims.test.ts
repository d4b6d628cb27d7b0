import { expect, test } from "vitest"
import { findClaims } from "./cited-documents.ts"

// Catches text of another citation that is taken for this one's, and a table's whole row instead of a cell.
test.each([
  ["It opened in 1902. It has 12 rooms [1]. Then [2].", 1, ["It has 12 rooms"]],
  ["It opened in 1902 [2]. It has 12 rooms. [1]", 1, ["It has 12 rooms."]],
  ["Both say so [1][2].", 2, ["Both say so"]],
  ["- The key is blue [3]", 3, ["The key is blue"]],
  ["> First one. Second one. [1]\n\n— a.md", 1, ["First one. Second one."]],
  ["| Deadline | 3 May [4] | later [5] |", 4, ["3 May"]],
  ["Nothing is cited.", 1, []],
  ["[1]", 1, []],
])("finds the claims in %s for [%i]", (text, number, claims) => {
  expect(findClaims(text, number)).toEqual(claims)
})
