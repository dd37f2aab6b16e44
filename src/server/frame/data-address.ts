/** Whether what lies at this address is data of the newsroom, and not the page or what tells that it runs. */
export function isData(url: string): boolean {
  return /^\/(api\/v1|events|feeds)(\/|\?|$)/.test(url);
}
