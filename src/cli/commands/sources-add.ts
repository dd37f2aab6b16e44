import type { Command } from 'commander';
import type { SourceFields } from '../../app/source-trial.ts';
import type { Config } from '../../config/config.ts';
import { suggestion } from '../../config/nearest.ts';
import { chooseFeed } from '../choose-feed.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { editableConfig } from '../edit-config.ts';
import { EXIT } from '../exit-codes.ts';
import { RefusalError } from '../refusal.ts';
import { showTrial, trialJson } from '../show-trial.ts';
import { Stopping } from '../stopping.ts';
import { AFTER_EDIT } from './sources-edit.ts';

interface AddOptions extends EveryOption {
  readonly pipeline?: readonly string[];
  readonly id?: string;
  readonly name?: string;
  readonly feed?: string;
  readonly feedUrl?: string;
  readonly anyway?: boolean;
  readonly dryRun?: boolean;
}

/** `sources add <address>`: finds out what is there, shows it, and writes it into the configuration. */
export function addCommand(parts: CommandParts): Command {
  return commandNamed('add', 'find the feed or channel at an address, show its newest items and follow it')
    .argument('<address>', 'a feed, a page that names one, a YouTube channel (@handle too), Hacker News')
    .option('-p, --pipeline <id...>', 'let these pipelines follow it')
    .option('--id <id>', 'its ID in the configuration (default: made of its title)')
    .option('--name <name>', 'its name for people (default: its title)')
    .option('--feed <number>', 'which of the feeds that a page names, counted from 1')
    .option('--feed-url <address>', 'YouTube: another place that serves channel feeds, for trials')
    .option('--anyway', 'write it even if it cannot be read now')
    .option('-n, --dry-run', 'show what is there and write nothing')
    .action(
      action(parts, async (terminal, options: AddOptions, written: string) => {
        const file = await editableConfig(parts.house, options.config);
        checkNames(file.config, options);
        const [{ fieldsFor }, { discover }, { freeId }, { addSource }] = await Promise.all([
          import('../../app/source-trial.ts'),
          import('../../app/discover.ts'),
          import('../../config/add-sources.ts'),
          import('../../config/edit-sources.ts'),
        ]);
        const meant = fieldsFor(written);
        if (meant === null)
          throw new RefusalError(`"${written}" is no address of a feed, a page or a channel`, EXIT.usage);
        const asked =
          'youtube' in meant && options.feedUrl !== undefined
            ? { ...meant, feed_url: options.feedUrl }
            : meant;
        await refuseKnown(file.config, asked);
        const stopping = new Stopping(terminal);
        const candidates = await discover(asked, file.config, stopping.signal).finally(() =>
          stopping[Symbol.dispose](),
        );
        if (typeof candidates === 'string') throw new RefusalError(`${written} ${candidates}`, EXIT.usage);
        const { trial, fields: found } = await chooseFeed(terminal, candidates, written, options);
        if (trial.outcome === 'failed' && !options.anyway)
          throw new RefusalError(
            `nothing was added: ${trial.detail} (--anyway adds it all the same)`,
            EXIT.unavailable,
          );
        await refuseKnown(file.config, found);

        const title = trial.outcome === 'read' ? trial.title : null;
        const name = (options.name ?? title ?? '').slice(0, 100).trim();
        const address = String(Object.values(found)[0]);
        const id = options.id ?? freeId(name || address, address, new Set(Object.keys(file.config.sources)));
        const fields: SourceFields = { ...found, ...(name !== '' && { name }) };
        const pipelines = options.pipeline ?? [];
        const text = addSource(file.text, id, fields, pipelines);
        refuseUnlisted(file.check(text), id, pipelines);
        if (!options.dryRun) await file.write(text);
        if (options.json)
          terminal.json({
            file: file.path,
            id,
            ...fields,
            pipelines,
            written: !options.dryRun,
            trial: trialJson(trial),
          });
        else {
          if (trial.outcome === 'read') showTrial(terminal, trial);
          const readBy = pipelines.length > 0 ? `, followed by ${pipelines.join(', ')}` : '';
          terminal.out(
            options.dryRun
              ? `\nWould be added to ${file.path} as ${id}${readBy}. Nothing was written.`
              : `\nAdded to ${file.path} as ${id}${readBy}.`,
          );
          if (pipelines.length === 0)
            terminal.note(`No pipeline follows it yet: put ${id} into the \`sources\` of one.`);
          if (!options.dryRun) terminal.note(AFTER_EDIT);
        }
        return EXIT.ok;
      }),
    );
}

function checkNames(config: Config, { id, pipeline = [] }: AddOptions): void {
  if (id !== undefined && config.sources[id] !== undefined)
    throw new RefusalError(`there is a source \`${id}\` already: choose another ID`, EXIT.usage);
  for (const named of pipeline)
    if (config.pipelines[named] === undefined)
      throw new RefusalError(
        `there is no pipeline \`${named}\`: ${suggestion(named, Object.keys(config.pipelines))}`,
        EXIT.notFound,
      );
}

/** A list that is an alias of another one cannot be added to without changing that one too. */
function refuseUnlisted(after: Config, id: string, pipelines: readonly string[]): void {
  const left = pipelines.filter((pipeline) => !after.pipelines[pipeline]?.sources.includes(id));
  if (left.length > 0)
    throw new RefusalError(
      `nothing was written: the sources of ${left.join(', ')} are no list of their own; write ${id} into it by hand`,
      EXIT.badData,
    );
}

async function refuseKnown(config: Config, fields: SourceFields): Promise<void> {
  const { feedAddress } = await import('../../config/feed-address.ts');
  const known = Object.values(config.sources).find((source) => {
    if (source.kind === 'feed')
      return 'feed' in fields && feedAddress(source.url) === feedAddress(fields.feed);
    if (source.kind === 'youtube') return source.channel === fields.youtube;
    return source.list === fields.hackernews;
  });
  if (known !== undefined)
    throw new RefusalError(`nothing was added: it is there already, as \`${known.id}\``, EXIT.cannotWrite);
}
