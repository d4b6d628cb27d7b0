import { AppError } from "../../shared/contract/errors.ts"

/** Whether an engine didn't take a request, for what it says: it is too long, or a schema is too much. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === "validation"
