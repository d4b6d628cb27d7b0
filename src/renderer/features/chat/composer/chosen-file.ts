import type { AskedFile } from "../../../../shared/contract/chat.ts"

/** A file that the next question is about. Its name is loaded if unknown. */
export type ChosenFile = Omit<AskedFile, "name"> & { name?: string }
