// Checks whether follow-up questions find what they refer to: node bench/retrieval-followups.ts
import { findPassages } from "../src/box/features/chat/grounding/find-passages.ts"
import { corpusPath, readCollection } from "./retrieval-corpus.ts"
import { openFolder } from "./retrieval-folder.ts"
import { printResults, type BenchResult } from "./result.ts"

/** The passage that the chat's last question is about, followed by the user's questions. */
type Conversation = readonly [passage: string, ...questions: string[]]

const conversations: Record<string, { followUps: Conversation[]; newSubjects: Conversation[] }> = {
  "xquad-en": {
    followUps: [
      ["p005", "Where was the Summer Theatre in Warsaw?", "How long did it operate?"],
      ["p017", "Which patents did Tesla get in 1900?", "And what did he say about Marconi's transmission?"],
      ["p029", "What are teachers of Dharma called in Tibetan Buddhism?", "And one who vows to be reborn?"],
      ["p041", "When was Sky Digital launched?", "Which satellite did it use?"],
      ["p053", "How did the Huguenots in North America adapt?", "Whom did they marry?"],
      ["p065", "When did Egypt and Syria attack Israel on Yom Kippur?", "What happened to oil prices?"],
      ["p089", "Why do ctenophores matter for the evolution of animals?", "What is their sister group?"],
      ["p101", "Which Y. pestis clades were in medieval mass graves?", "Are they extinct?"],
      ["p113", "What is the Tyne and Wear Metro?", "When did it open?", "In how many phases?"],
      ["p125", "Whom did Temüjin marry?", "Who kidnapped her?"],
      ["p125", "Whom did Temüjin marry?", "Who kidnapped her?", "And who helped him?"],
      ["p137", "Which immune cells peak while we are awake?", "Why?"],
      ["p161", "On which river does Jacksonville lie?", "How far is that from Miami?"],
      ["p173", "Who wrote most of the music of early Doctor Who?", "What else is he known for?"],
      ["p185", "Where does Kenya stand on the Corruption Perception Index?", "What does that measure?"],
      ["p197", "How is chloroplast DNA abbreviated?", "When was it first sequenced?"],
      ["p209", "What did the Treaty of Versailles decree for the Rhineland?", "Until when?"],
      [
        "p221",
        "What did Edward Said mean by Orientalism?",
        "Tell me more about that.",
        "Thanks! Who uses it?",
      ],
    ],
    newSubjects: [
      ["p041", "Who kidnapped Temüjin's wife?", "When was Sky Digital launched?"],
      ["p185", "When was Sky Digital launched?", "Where does Kenya rank for corruption?"],
      ["p125", "What is chloroplast DNA?", "Who was Börte?"],
      ["p113", "What is Orientalism?", "What is the Tyne and Wear Metro?"],
      ["p197", "What is the Tyne and Wear Metro?", "What is the plastome?"],
      ["p161", "Whom did Temüjin marry?", "How far is Jacksonville from Miami?"],
    ],
  },
  "xquad-de": {
    followUps: [
      ["p005", "Wo lag das Sommertheater in Warschau?", "Wie lange war es in Betrieb?"],
      ["p035", "Wie dicht ist Südkalifornien besiedelt?", "Und wofür ist es sonst bekannt?"],
      ["p065", "Wann griffen Ägypten und Syrien Israel an?", "Was geschah mit dem Ölpreis?"],
      ["p095", "Was enthält ein Paket im verbindungslosen Modus?", "Und was passiert damit am Ziel?"],
      ["p125", "Wen heiratete Temüdschin?", "Wer hat sie entführt?"],
      ["p125", "Wen heiratete Temüdschin?", "Wer hat sie entführt?", "Und wie hieß der Sohn?"],
      ["p185", "Wo steht Kenia auf dem Korruptionsindex?", "Was wird damit gemessen?"],
      ["p215", "Warum ist der Islamismus ein umstrittenes Konzept?", "Was glauben seine Anhänger?"],
    ],
    newSubjects: [
      ["p185", "Wer hat Börte entführt?", "Wo steht Kenia bei der Korruption?"],
      ["p005", "Warum ist der Islamismus umstritten?", "Wie hieß Warschaus erstes Kabarett?"],
    ],
  },
}
const topK = 8

/** Share of the chats whose passage is first, and among the first three. */
export async function run(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const [name, sets] of Object.entries(conversations)) {
    const path = corpusPath("retrieval", name)
    if (path === undefined) continue
    const { passages } = readCollection(name, path)
    await using folder = await openFolder(undefined)
    await folder.add(passages.map(({ id, text }) => ({ name: id, text })))
    const search = ({ query }: { query: string }) => folder.found(query, "keyword", topK)
    for (const [kind, set] of Object.entries(sets)) {
      const alone = { first: 0, three: 0 }
      const chat = { first: 0, three: 0 }
      for (const [passage, ...questions] of set) {
        const newest = await search({ query: questions.at(-1) ?? "" })
        count(alone, newest.results, passage)
        const asked = { messages: toMessages(questions), vectorIds: [""], staysHere: false }
        const inChat = await findPassages(search, { ...asked, rewrite: "auto", rewriteQuestion: null })
        count(chat, inChat.passages, passage)
      }
      for (const place of ["first", "three"] as const) {
        results.push({
          name: `${name}, ${kind}: ${place === "first" ? "first" : "among three"}`,
          value: chat[place] / set.length,
          unit: "",
          floor: alone[place] / set.length,
        })
      }
    }
  }
  return results
}

const toMessages = (questions: readonly string[]) =>
  questions.flatMap((content, index) => [
    ...(index === 0 ? [] : [{ role: "assistant" as const, content: "It is so." }]),
    { role: "user" as const, content },
  ])

function count(sums: { first: number; three: number }, found: { fileName: string }[], wanted: string): void {
  const place = found.findIndex(({ fileName }) => fileName === wanted)
  if (place === 0) sums.first++
  if (place >= 0 && place < 3) sums.three++
}

if (import.meta.main) printResults(await run())
