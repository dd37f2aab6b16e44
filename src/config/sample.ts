import { readAsset } from '../assets/assets.ts';

/** Base addresses of the simulator's services, by the host names that the sample uses for them. */
export interface SampleAddresses {
  readonly feeds: string;
  readonly discord: string;
  readonly mastodon: string;
  readonly youtube: string;
  readonly hackernews: string;
  readonly gemini: string;
  readonly openai: string;
}

export interface Sample {
  /** The YAML, with real addresses. */
  readonly text: string;
  /** The sample's secrets, as environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Names of the sample's secrets. They are valid for the simulator only. */
export interface SampleSecrets {
  readonly SAMPLE_DISCORD_WEBHOOK: string;
  readonly SAMPLE_MASTODON_TOKEN: string;
}

/** The sample newsroom on the simulator at these addresses. */
export function sampleConfig(addresses: SampleAddresses, secrets: SampleSecrets): Sample {
  const template = readAsset('recipes/sample.yaml');
  const text = template.replaceAll(/http:\/\/(\w+)\.sim(?=[/\s"',}\]]|$)/g, (written, host: string) =>
    Object.hasOwn(addresses, host) ? addresses[host as keyof SampleAddresses].replace(/\/$/, '') : written,
  );
  return { text, env: { ...secrets } };
}
