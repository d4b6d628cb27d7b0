import { expect, test } from "vitest"
import { matchedWords } from "./matched-words.ts"

// Catches small words named as the reason, other forms of a word that are missed, and words spelled as in the question.
test.each([
  ["What is the notice period of the flat?", "The Notice-Period is three months.", ["Notice", "Period"]],
  ["Wie lange ist die Kündigungsfrist?", "Kündigungsfristen gelten ab Mai.", ["Kündigungsfristen"]],
  ["Is VAT 22 included?", "VAT: 22 percent", ["VAT", "22"]],
  ["What is it?", "It is what it is.", []],
])("%s", (question, text, words) => {
  expect(matchedWords(question, text).toSorted()).toEqual(words.toSorted())
})
