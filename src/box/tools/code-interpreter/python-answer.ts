import { z } from "zod"
import { outputLimits, type PythonAnswer } from "./python-job.ts"

const { characters, value, files, bytes, path } = outputLimits
const File = z.object({ name: z.string().min(1).max(path), bytes: z.instanceof(Uint8Array) })

/** Validates a run's result in the box. The limits also apply to a compromised process. */
export const pythonAnswer: z.ZodType<PythonAnswer> = z.object({
  output: z.string().max(characters),
  value: z.string().max(value).nullable(),
  error: z.string().max(value).nullable(),
  files: z
    .array(File)
    .max(files)
    .refine((all) => all.reduce((size, file) => size + file.bytes.byteLength, 0) <= bytes),
  notes: z.array(z.string().max(200)).max(2),
})
