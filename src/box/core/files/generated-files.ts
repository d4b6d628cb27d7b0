/**
 * Files written by a model (`generatedBy`) that a reader gets as well as the files of people: all of them, or those with these IDs. A user
 * gets all of them. They are no evidence, so a model gets only those that the request names or that the folder includes.
 */
export type GeneratedFiles = "all" | readonly string[]

export interface FolderOfGenerated {
  /** Whether models read the generated files in the folder. */
  includeGenerated: boolean
}

/** Returns the generated files that a model's request with `asked` reads in a folder. */
export const generatedIn = (folder: FolderOfGenerated | undefined, asked: GeneratedFiles): GeneratedFiles =>
  folder?.includeGenerated ? "all" : asked

export const includesFile = (generated: GeneratedFiles, fileId: string): boolean =>
  generated === "all" || generated.includes(fileId)
