/** Problems of how a request is sent, whatever it asks for. */
export const TRANSPORT = {
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    cause: 'Headers or body were not complete in time.',
    remedy: 'Send the whole request at once.',
    example: { detail: 'The request was not complete in time.' },
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    cause: 'Request bodies may have 65536 bytes at most, files with statements 33554432.',
    remedy:
      'Send a smaller body; no other request of this API needs more than a few kilobytes. Split a statement by account or by day.',
    example: { detail: 'The body has more than 65536 bytes.' },
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is not declared as what the request takes',
    cause:
      'The Content-Type header is missing or is not application/json in UTF-8, or for a statement application/xml, text/csv or multipart/form-data, or the body is compressed.',
    remedy: 'Send "Content-Type: application/json", or that of the file, and an uncompressed body in UTF-8.',
    example: { detail: 'Content-Type must be application/json; given text/plain.' },
  },
  'headers-too-large': {
    status: 431,
    title: 'The URL and headers are too large',
    cause: 'The request line and headers together have more than 16384 bytes.',
    remedy: 'Send fewer or shorter headers, and a shorter URL.',
    example: { detail: 'The request line and headers have more than 16384 bytes.' },
  },
} as const;
