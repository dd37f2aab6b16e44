import type { z } from 'zod';
import { formatPath, type Problem } from './problem.ts';
import type { YamlDocument } from './yaml-document.ts';

/** What the schemas found, as problems with places. */
export function problemsOfIssues(issues: readonly z.core.$ZodIssue[], document: YamlDocument): Problem[] {
  return issues.flatMap((issue) => problemsOfIssue(issue, document));
}

function problemsOfIssue(issue: z.core.$ZodIssue, document: YamlDocument): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    // One line of the message for each key: see `section`.
    const messages = issue.message.split('\n');
    return issue.keys.map((key, n) => {
      const path = [...issue.path, key];
      return {
        file: document.file,
        ...at(document.placeOfKey(path)),
        path: formatPath(path),
        message: messages[n] ?? 'unknown key',
      };
    });
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues[0]?.message ?? 'cannot be used as an ID';
    return [
      { file: document.file, ...at(document.placeOfKey(issue.path)), path: formatPath(issue.path), message },
    ];
  }
  return [
    {
      file: document.file,
      ...at(document.placeOf(issue.path)),
      path: formatPath(issue.path),
      message: issue.message,
    },
  ];
}

export function at(place: { readonly line: number; readonly column: number } | null) {
  return { line: place?.line ?? null, column: place?.column ?? null };
}
