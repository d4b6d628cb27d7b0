import type { AskedFile } from "../../../../shared/contract/chat.ts"

/** A file that the next question is about; its name is read where it isn't known. */
export type ChosenFile = Omit<AskedFile, "name"> & { name?: string }
