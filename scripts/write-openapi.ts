// `npm run openapi` writes openapi.json from the contract. A test fails if the file is outdated.
import { writeFileSync } from "node:fs"
import { renderOpenApi } from "../src/box/http/openapi/openapi.ts"

writeFileSync(new URL("../openapi.json", import.meta.url), renderOpenApi())
