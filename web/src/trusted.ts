interface TrustedPolicy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
}

const same = (text: string): string => text;

/** The content security policy allows this one name. Both uses are of our own server: article text that it has sanitised, and our service worker. */
const policy: TrustedPolicy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  'kawaraban',
  { createHTML: same, createScriptURL: same },
) ?? { createHTML: same, createScriptURL: same };

export function parseSanitisedHtml(html: string): Document {
  return new DOMParser().parseFromString(policy.createHTML(html), 'text/html');
}

export function trustedScript(url: '/service-worker.js'): string {
  return policy.createScriptURL(url);
}
