import type { Project } from "../../../shared/contract/projects.ts"

export const maxNameLength = 120
export const maxInstructionsLength = 100_000
export const maxFolders = 50

/** The editable fields of a project. */
export type ProjectForm = Pick<Project, "name" | "instructions" | "vectorIds" | "assistantId">

export const emptyForm: ProjectForm = { name: "", instructions: "", vectorIds: [], assistantId: null }

export const toForm = ({ name, instructions, vectorIds, assistantId }: Project): ProjectForm => ({
  name,
  instructions,
  vectorIds,
  assistantId,
})

export const isSame = (one: ProjectForm, other: ProjectForm): boolean =>
  JSON.stringify({ ...one, vectorIds: one.vectorIds.toSorted() }) ===
  JSON.stringify({ ...other, vectorIds: other.vectorIds.toSorted() })
