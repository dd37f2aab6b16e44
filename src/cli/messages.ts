/** A JSON body with line breaks, anything else as it is, without what could speak to the terminal. */
export function readableBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body.replaceAll(/[\p{Cc}--\n]/gv, '');
  }
}
