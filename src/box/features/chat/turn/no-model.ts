import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

export const noModelError = (code: "chat.no_model_to_go_on" | "chat.no_model_nor_folders") =>
  new AppError("no_model", sentence(code), modelSettings)

export const modelSettings = { details: { action: "/settings/models" } }
