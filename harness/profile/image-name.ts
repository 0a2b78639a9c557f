/** A reference taken apart: `registry:5000/a/b:1.2@sha256:…`. What Docker Hub adds to a short name is left out. */
interface ImageName {
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

function imageName(reference: string): ImageName {
  const match = /^(?<repository>.+?)(?::(?<tag>[^:/@]+))?(?:@(?<digest>.+))?$/.exec(reference);
  const { repository = reference, tag, digest } = match?.groups ?? {};
  return {
    repository: repository.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, ''),
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
  };
}

/**
 * How well an image of a profile fits a reference: `exact`, `repository` where the profile names neither tag nor digest,
 * or not at all. A tag that is left out of the reference is `latest`, as the engines have it.
 */
export function fits(declared: string, reference: string): 'exact' | 'repository' | undefined {
  if (declared === reference) return 'exact';
  const [wanted, given] = [imageName(declared), imageName(reference)];
  if (wanted.repository !== given.repository) return undefined;
  if (wanted.tag === undefined && wanted.digest === undefined) return 'repository';
  const tag = given.tag ?? (given.digest === undefined ? 'latest' : undefined);
  const sameTag = wanted.tag === undefined || wanted.tag === tag;
  const sameDigest = wanted.digest === undefined || wanted.digest === given.digest;
  return sameTag && sameDigest ? 'exact' : undefined;
}

/** Owner and name of a repository, without registry, tag and digest: `networknt/light-agent`. */
export function ownerAndName(reference: string): string {
  return imageName(reference).repository.split('/').slice(-2).join('/');
}
