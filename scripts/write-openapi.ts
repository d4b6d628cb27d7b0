// `npm run openapi` writes openapi.json and openapi-auth.json from the contract. A test fails if a file is outdated.
import { writeFileSync } from "node:fs"
import { describeAuthService, describeServer, renderDocument } from "./openapi/documents.ts"

const write = (name: string, text: string) => writeFileSync(new URL(`../${name}`, import.meta.url), text)
write("openapi.json", renderDocument(describeServer()))
write("openapi-auth.json", renderDocument(describeAuthService()))
