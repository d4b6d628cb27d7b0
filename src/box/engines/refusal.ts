import { AppError } from "../../shared/contract/errors.ts"

/** Whether an engine rejected a request because of its content, such as its length or a schema that is too complex. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === "validation"
