/**
 * The files written by a model (`generatedBy`) that a reader gets next to the files of people: all of them, or those with these
 * ids. A person gets all of them. They are no evidence, so a model gets those that the request asks for, or that the folder includes.
 */
export type GeneratedFiles = "all" | readonly string[]

export interface FolderOfGenerated {
  /** Whether models read the generated files in the folder. */
  includeGenerated: boolean
}

/** What a request for a model that asks for `asked` reads in a folder. */
export const generatedIn = (folder: FolderOfGenerated | undefined, asked: GeneratedFiles): GeneratedFiles =>
  folder?.includeGenerated ? "all" : asked

export const includesFile = (generated: GeneratedFiles, fileId: string): boolean =>
  generated === "all" || generated.includes(fileId)
