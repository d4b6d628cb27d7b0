import type { ReactNode } from "react"

/** Kinds of commands, in the order in which they stand before anything is typed. */
export const groups = [
  "here",
  "recent",
  "chats",
  "actions",
  "screens",
  "settings",
  "assistants",
  "projects",
  "folders",
  "files",
  "messages",
  "passages",
] as const
export type Group = (typeof groups)[number]

/** Something that the palette goes to or does. */
export interface Command {
  /** The same each time, so that recent ones are known again. */
  id: string
  group: Group
  name: string
  /** What else it may be called: "mute" for notifications. */
  words?: string
  /** Where it is, or what of it was found. */
  detail?: string
  /** Which of them is the name of a file. */
  fileName?: "name" | "detail"
  icon: ReactNode
  /** Too many of its kind to stand there before anything is typed. */
  onlyFound?: true
  /** Its shortcut. */
  keys?: string[]
  run: () => void
}
