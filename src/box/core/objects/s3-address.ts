import { isLoopbackHost } from "../outbound/loopback.ts"
import { TerminalError } from "../terminal-error.ts"

/** A location on an S3-compatible store, and the credentials for signing requests to it. */
export interface S3Address {
  /** The address in its usual form: `s3://bucket/prefix`. */
  address: string
  bucket: string
  /** Without leading or trailing slashes; may be empty. */
  prefix: string
  /** Null: Amazon's endpoint for the region. */
  endpoint: string | null
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
}

const usualRegion = "us-east-1"
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** @throws TerminalError `validation` with the change that is needed */
export function readS3Address(
  value: string,
  flag: string,
  env: Record<string, string | undefined>,
): S3Address {
  const [, bucket = "", path = ""] = /^s3:\/\/([^/]*)\/?(.*)$/.exec(value) ?? []
  const prefix = path.replace(/\/+$/, "")
  const names = prefix.split("/")
  if (!bucketName.test(bucket) || (prefix !== "" && !names.every(isName)))
    throw invalid(`${flag} takes an address like s3://bucket/prefix, not "${value}".`)
  const accessKeyId = env["AWS_ACCESS_KEY_ID"]
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"]
  if (!accessKeyId || !secretAccessKey)
    throw invalid(`${flag} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.`)
  const sessionToken = env["AWS_SESSION_TOKEN"]
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || null
  if (endpoint !== null && !(/^https?:\/\//.test(endpoint) && URL.canParse(endpoint)))
    throw invalid("AWS_ENDPOINT_URL takes an address like https://objects.example.")
  return {
    address: prefix === "" ? `s3://${bucket}` : `s3://${bucket}/${prefix}`,
    bucket,
    prefix,
    endpoint,
    region: env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || usualRegion,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
  }
}

/** Whether requests to it stay on this computer. */
export const isHere = ({ endpoint }: S3Address): boolean =>
  endpoint !== null && isLoopbackHost(new URL(endpoint).hostname)

const isName = (name: string) => /^[\w!'()*.-]+$/.test(name) && !/^\.\.?$/.test(name)
const invalid = (message: string) => new TerminalError("validation", message)
