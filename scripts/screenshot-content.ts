import { makePdf } from "../src/box/parsers/testing/make-pdf.ts"
import { docxBytes } from "../src/box/parsers/testing/office-files.ts"
import { createClient, type Client } from "../src/shared/client/http-client.ts"

/** Answer of the model in the screenshots. No word occurs twice, as the scripted model requires. */
export const pictureReply =
  "You have **25 days** of leave a year [1]. Ask in the first week for summer, and tell your team lead by mail [2]."

const rules = ["Visitors sign in at the desk and wear a badge.", "Whoever goes home last closes the windows."]

const documents: Record<string, Record<string, string | Uint8Array<ArrayBuffer>>> = {
  Handbook: {
    "leave.md":
      "# Leave\n\nEveryone has 25 days of leave a year. Days that are left over move to March of the next year.\n\n## Asking for it\n\nAsk for summer leave in the first week of the year. Mail your team lead the dates.",
    "new-here.md":
      "# New here\n\nBefore you take days of leave, tell your team lead by mail. Days of sickness are reported by phone.",
    "travel.md":
      "# Travel\n\nTrains are booked in second class. Keep the receipts: they are paid back within two weeks.",
    "devices.md": "# Devices\n\nLaptops are renewed every four years. Report a broken one on the same day.",
    "Office rules.pdf": new Uint8Array(
      makePdf([{ lines: [{ text: "Office rules", size: 22 }, ...rules.map((text) => ({ text }))] }]),
    ),
    "Contract of employment.docx": new Uint8Array(
      docxBytes("<w:p><w:r><w:t>The first three months are a probation.</w:t></w:r></w:p>"),
    ),
    "allowances.csv": "journey,amount\ninland,28\nabroad,45\n",
    "Minutes of the works council.html": "<h1>Minutes</h1><p>The canteen opens earlier from May on.</p>",
    "Scan of 1998.pdf": "%PDF-1.4 cut off",
  },
  Garden: {
    "beds.csv": "bed,plant,sown\n1,beans,April\n2,carrots,March\n3,pumpkins,May\n",
    "notes.md": "# Notes\n\nWater the beans in the morning. Pumpkins need a metre on each side.",
  },
  Recipes: { "bread.txt": "Mix 500 g of flour, 350 g of water and 10 g of salt. Let it rest overnight." },
}

/** Every word of the plain-text documents. */
export const writtenWords = new Set(
  Object.values(documents)
    .flatMap((files) => Object.values(files).filter((text) => typeof text === "string"))
    .flatMap((text) => text.toLowerCase().match(/\p{L}+/gu) ?? []),
)

const appearances: Record<string, { iconName: string; accentColor: string }> = {
  Handbook: { iconName: "BookOpen", accentColor: "#0d9488" },
  Garden: { iconName: "Leaf", accentColor: "#16a34a" },
  Recipes: { iconName: "Utensils", accentColor: "#d97706" },
}

const waitLimitMs = 60_000
const checkIntervalMs = 250

/** Ids for the addresses of screens. */
export interface PictureContent {
  folderId: string
  fileId: string
  chatId: string
  assistantId: string
}

/** Fills a box through its API with neutral content, and waits until all of it is searchable or was refused. */
export async function addPictureContent(url: string, key: string): Promise<PictureContent> {
  const box = createClient({ baseUrl: url, headers: { "x-api-key": key } })
  const folders: string[] = []
  for (const [name, files] of Object.entries(documents)) {
    const { vector } = await box.folders.create({ body: { name, ...appearances[name] } })
    folders.push(vector.id)
    for (const [fileName, text] of Object.entries(files)) {
      const form = new FormData()
      form.append("file", new Blob([text]), fileName)
      const address = `${url}/api/public/vectors/${vector.id}/files`
      await fetch(address, { method: "POST", headers: { "x-api-key": key }, body: form })
    }
  }
  const [handbook = ""] = folders
  await waitUntilIndexed(box, folders)
  const { files } = await box.files.list({ params: { id: handbook } })
  const { assistant } = await box.assistants.create({
    body: {
      name: "Handbook guide",
      description: "Answers from the handbook, in one paragraph.",
      instructions: "Answer in one short paragraph and cite the handbook.",
      vectorIds: [handbook],
    },
  })
  const chats = [
    "How many days of leave do I have?",
    "When are receipts paid back?",
    "Plan the garden for May",
  ]
  for (const question of chats.toReversed()) await ask(box, url, question, handbook)
  await box.notifications.send({
    body: { title: "Import finished", description: "3 documents can be searched.", type: "success" },
  })
  await box.notifications.send({ body: { title: "Backup due", description: "The last one is a week old." } })
  const { chats: asked } = await box.conversations.list()
  return {
    folderId: handbook,
    fileId: files[0]?.id ?? "",
    chatId: asked.find(({ title }) => title === chats[0])?.id ?? "",
    assistantId: assistant.id,
  }
}

async function ask(box: Client, url: string, question: string, folderId: string): Promise<void> {
  const id = question.toLowerCase().replaceAll(/\W+/g, "-")
  const body = {
    id,
    messages: [{ role: "user" as const, content: question }],
    boxAddress: url,
    vector: [folderId],
  }
  for await (const event of box.chat.send({ body })) if (event.type === "finish") return
}

async function waitUntilIndexed(box: Client, folderIds: string[]): Promise<void> {
  const end = Date.now() + waitLimitMs
  for (const id of folderIds) {
    for (;;) {
      const { files } = await box.files.list({ params: { id } })
      if (files.every(({ status }) => status !== "queued" && status !== "processing")) break
      if (Date.now() > end) throw new Error("The documents weren't indexed in time.")
      await new Promise((resolve) => setTimeout(resolve, checkIntervalMs))
    }
  }
}
