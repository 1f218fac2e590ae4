import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { api, bodyOf } from "../../api/client";
import { refusedWith } from "../../api/errors";
import { Empty } from "../../ui/Empty";
import { QueryStatus } from "../../ui/QueryStatus";
import { assessmentQuery } from "./queries";

const route = getRouteApi("/assessments/$id");

/** Leads from the address of an assessment alone to its page below its account. */
export function MovedPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const moved = useQuery({
    queryKey: ["moved", id],
    queryFn: async ({ client, signal }) => {
      if (id !== "latest") return (await client.fetchQuery(assessmentQuery(id))).account.id;
      const page = await bodyOf(api.GET("/api/assessments", { params: { query: { limit: 1 } }, signal }));
      return page.assessments[0]?.account.id ?? null;
    },
  });
  if (moved.data)
    return <Navigate to="/a/$a/r/$r/findings" params={{ a: moved.data, r: id }} search={search} replace />;
  const gone = moved.data === null || refusedWith(moved.error, 404, 422);
  return (
    <>
      <title>Assessment · Edgeposture</title>
      <h1>{gone ? "No such assessment" : "Assessment"}</h1>
      {gone ? (
        <Empty title="This assessment is not here" action={<Link to="/assessments">All assessments</Link>}>
          There is no assessment <code>{id}</code> on this service.
        </Empty>
      ) : (
        <QueryStatus query={moved} of="assessment" rows={10} />
      )}
    </>
  );
}
