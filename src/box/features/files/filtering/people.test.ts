import { expect, test } from "vitest"
import { foldPeople, toWantedPeople } from "./people.ts"

const column = foldPeople([
  { name: "Rossi, Anna", address: "Anna.Rossi@Example.org" },
  { name: "Jürgen Müller", address: "jm@example.com" },
  { name: "", address: "joanna@example.net" },
])

// Catches a search for a person that finds others, or misses the person because of accents, case or the order of the names.
test.for([
  ["anna.rossi@example.org", true],
  ["ANNA.ROSSI@EXAMPLE.ORG", true],
  ["rossi@example.org", false],
  ["anna.rossi@example.or", false],
  ["anna", true],
  ["Anna Rossi", true],
  ["muller", true],
  ["Jürgen", true],
  ["anna müller", false],
  ["nna", false],
  ["@example.com", true],
  ["example.net", true],
  ["%", false],
  ["", false],
] as const)("%s: %s", ([wanted, expected]) => {
  const { texts, matches } = toWantedPeople([wanted])
  expect(matches(column ?? "")).toBe(expected)
  // The first selection must never lose someone.
  if (expected) expect(texts.flat().every((text) => column?.includes(text))).toBe(true)
})

// Catches a person of a long list who isn't looked for.
test("any of many people", () => {
  const others = Array.from({ length: 60 }, (_, index) =>
    index % 2 ? `n${index}@example.org` : `Person ${index}`,
  )
  expect(toWantedPeople(others).matches(column ?? "")).toBe(false)
  for (const wanted of ["jm@example.com", "müller jürgen", "rossi"])
    expect(toWantedPeople([...others, wanted, "Rossi Carla"]).matches(column ?? "")).toBe(true)
})

test("an empty list of people is stored as nothing, and a long one within a limit", () => {
  expect(foldPeople([])).toBeNull()
  const crowd = Array.from({ length: 500 }, (_, index) => ({
    name: `${"n".repeat(190)}${index}`,
    address: `${"a".repeat(300)}${index}@example.org`,
  }))
  expect(foldPeople(crowd)?.length).toBeLessThanOrEqual(64_000)
})
