#include "trace/gpu/effort/element_types.h"

#include <gtest/gtest.h>

#include <vector>

namespace laptime {
namespace {

struct Input {
  const char* type;
  bool has_dimensions = true;
};

std::string_view promoted(std::initializer_list<Input> inputs) {
  std::vector<Operand> operands;
  for (const Input& input : inputs)
    operands.push_back({find_element_type(input.type), input.has_dimensions});
  return promoted_type(operands).name;
}

// As torch.result_type has them.
TEST(ElementTypes, OfTensorsTheHigherCategoryCountsThenTheWider) {
  EXPECT_EQ(promoted({{"float"}, {"long int"}}), "float");
  EXPECT_EQ(promoted({{"long int"}, {"c10::Half"}}), "c10::Half");
  EXPECT_EQ(promoted({{"bool"}, {"signed char"}}), "signed char");
  EXPECT_EQ(promoted({{"c10::BFloat16"}, {"float"}}), "float");
  EXPECT_EQ(promoted({{"c10::Half"}, {"c10::BFloat16"}}), "float") << "neither holds the other";
  EXPECT_EQ(promoted({{"unsigned char"}, {"signed char"}}), "short int");
  EXPECT_EQ(promoted({{"c10::complex<float>"}, {"double"}}), "c10::complex<double>");
  EXPECT_EQ(promoted({{"c10::complex<float>"}, {"long int"}}), "c10::complex<float>");
  EXPECT_EQ(promoted({{"float"}, {"c10::Half"}, {"c10::BFloat16"}}), "float");
}

TEST(ElementTypes, WithoutDimensionsOnlyAHigherCategoryCounts) {
  EXPECT_EQ(promoted({{"c10::BFloat16"}, {"double", false}}), "c10::BFloat16");
  EXPECT_EQ(promoted({{"double", false}, {"c10::BFloat16"}}), "c10::BFloat16");
  EXPECT_EQ(promoted({{"unsigned char"}, {"long int", false}}), "unsigned char");
  EXPECT_EQ(promoted({{"long int"}, {"double", false}}), "float")
      << "the default, not the number's";
  EXPECT_EQ(promoted({{"long int"}, {"c10::Half", false}}), "c10::Half");
  EXPECT_EQ(promoted({{"bool"}, {"long int", false}}), "long int");
  EXPECT_EQ(promoted({{"float"}, {"c10::complex<double>", false}}), "c10::complex<float>");
  EXPECT_EQ(promoted({{"double"}, {"c10::complex<double>", false}}), "c10::complex<double>");
  EXPECT_EQ(promoted({{"c10::Half"}, {"c10::complex<double>", false}}), "c10::complex<c10::Half>");
  EXPECT_EQ(promoted({{"float", false}, {"double", false}}), "double") << "there is nothing else";
}

TEST(ElementTypes, OthersAreUnknown) {
  EXPECT_EQ(find_element_type("c10::qint8"), nullptr);
  EXPECT_EQ(find_element_type(""), nullptr);
}

}  // namespace
}  // namespace laptime
