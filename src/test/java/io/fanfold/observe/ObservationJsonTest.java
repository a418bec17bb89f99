package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class ObservationJsonTest {
    @Test
    void hasAllNumbersOfTheReport() throws Exception {
        JsonNode json = new ObjectMapper().readTree(ObservationJson.of(Observations.sample()));
        assertThat(json.get("source").asText()).isEqualTo("slow log slow.log");
        assertThat(json.get("server").asText()).isEqualTo("MySQL 9.7.4 at db:3306");
        assertThat(json.get("statements").asLong()).isEqualTo(1000);
        assertThat(json.get("seconds").asDouble()).isEqualTo(100);
        assertThat(json.get("selects").asLong()).isEqualTo(40);
        assertThat(json.get("splitSeconds").asDouble()).isEqualTo(60);
        assertThat(json.get("expectedSavedSeconds").asDouble()).isEqualTo(40);
        assertThat(json.get("groups").get(0).toString())
                .isEqualTo(
                        "{\"schema\":\"shop\",\"digest\":\"SELECT status, COUNT(*) FROM orders GROUP BY status\","
                                + "\"executions\":30,\"seconds\":60.0,\"decision\":\"split\",\"workers\":4,\"tables\":[{\"table\":"
                                + "\"shop.orders\",\"partitionsRead\":8,\"partitions\":8,\"queries\":4}],\"expectedSeconds\":20.0}");
        assertThat(json.get("groups").get(3).get("reason").asText()).isEqualTo("error 1146");
        assertThat(json.get("reasons").get(1).toString())
                .isEqualTo("{\"reason\":\"no_partitioned_table\",\"because\":\"it names none\",\"groups\":2,"
                        + "\"executions\":4,\"seconds\":15.0}");
        assertThat(json.get("advice").get(0).get("remedies").get(0).asText()).isEqualTo("ALTER");
        assertThat(json.get("findings").get(0).get("severity").asText()).isEqualTo("advice");
    }
}
