import { afterAll, beforeAll, expect, it } from "vitest"
import { cloudAccount } from "../shared/contract/cloud-account.ts"
import { ServiceErrorBody } from "../shared/contract/service-errors.ts"
import { tickets } from "../shared/contract/tickets.ts"
import { password, startTestService, validTicket, type TestService } from "./testing/test-service.ts"

let service: TestService
let staff: { jwt: string }
beforeAll(async () => {
  service = await startTestService()
  staff = await service.account("staff", { staff: true })
  await service.ticket(staff.jwt, { attachment: "data:,x", context: { a: 1 } })
})
afterAll(() => service?.[Symbol.asyncDispose]())

/** Headers of a new session of the staff account. */
async function signIn() {
  const body = { email: "staff@example.com", password }
  const { headers, body: session } = await service.send("POST", "/api/auth/sign-in/email", { body })
  const cookies = headers.getSetCookie().map((line) => line.split(";")[0])
  return { cookie: cookies.join("; "), "x-session-secret": session.secret }
}

// Catches an answer that lacks a field of the contract or has additional ones.
it.each([
  ["signIn", cloudAccount.signIn, { email: "staff@example.com", password }],
  ["token", cloudAccount.token, undefined],
  ["keySet", cloudAccount.keySet, undefined],
  ["createKey", cloudAccount.createKey, { name: "x", expiresIn: 60 }],
  ["create", tickets.create, validTicket],
  ["mine", tickets.mine, undefined],
  ["list", tickets.list, undefined],
  ["read", tickets.read, undefined],
  ["change", tickets.change, { status: "RESOLVED" }],
  ["signOut", cloudAccount.signOut, undefined],
] as const)("the answer of %s matches the contract", async (_name, endpoint, body) => {
  const { id } = (await service.ticket(staff.jwt)).body.ticket
  const answer = await service.send(endpoint.method.toUpperCase(), endpoint.path.replace(":id", id), {
    bearer: staff.jwt,
    headers: await signIn(),
    ...(body === undefined ? {} : { body }),
  })
  expect(answer.status).toBe("status" in endpoint ? endpoint.status : 200)
  expect(endpoint.output.parse(answer.body)).toEqual(answer.body)
})

it.each([
  ["GET", "/api/v1/tickets", undefined],
  ["GET", "/api/v1/tickets/none", undefined],
  ["PUT", "/api/v1/tickets", {}],
  ["GET", "/api/v1/tickets/%ff", undefined],
  ["POST", "/api/v1/tickets", {}],
])("errors of %s %s use the error envelope", async (method, path, body) => {
  const answer = await service.send(method, path, path.includes("none") ? { bearer: staff.jwt } : { body })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(ServiceErrorBody.parse(answer.body)).toEqual(answer.body)
})

// Catches a wrong method that is treated as an unknown address, or an answer without the allowed methods.
it.each([
  ["PUT", "/api/v1/tickets", "GET, HEAD, POST"],
  ["DELETE", "/api/v1/tickets/none", "GET, HEAD, PATCH"],
  ["GET", "/api/auth/api-key", "DELETE, POST"],
  ["PATCH", "/api/auth/sign-in/email", "POST"],
])("%s %s returns 405 with the allowed methods", async (method, path, allow) => {
  for (const options of [{}, { bearer: staff.jwt }]) {
    const { status, headers, body } = await service.send(method, path, options)
    expect([status, headers.get("allow"), body.error.code]).toEqual([405, allow, "METHOD_NOT_ALLOWED"])
  }
})

// Catches a service that doesn't describe its API, or describes another one.
it("describes its API without a credential", async () => {
  const { status, body } = await service.send("GET", "/api/openapi.json")
  expect(status).toBe(200)
  expect(body).toMatchObject({
    info: { title: "Casella auth service API" },
    paths: { "/api/v1/tickets/{id}": {} },
  })
})

// Catches a service that can't be reached behind its proxy, or whose cookie is sent without TLS.
it("behind a proxy it accepts only its public address, and marks its cookie Secure", async () => {
  await using proxied = await startTestService(null, "https://support.example")
  await proxied.run("users add ann@example.com", { password, name: "Ann" })
  const signIn = (headers: Record<string, string>) =>
    proxied.sendRaw("POST", "/api/auth/sign-in/email", headers, { email: "ann@example.com", password })
  const own = await signIn({ host: "support.example", origin: "https://support.example" })
  expect(own.status).toBe(200)
  expect(own.cookies.length).toBeGreaterThan(0)
  for (const line of own.cookies) expect(line).toMatch(/; Secure/)
  expect((await signIn({ host: "support.example", origin: "http://support.example" })).status).toBe(403)
  expect((await signIn({ host: "other.example" })).status).toBe(403)
})
